/// Reads that do not show all that there is: a link in what they give may lead to an object that is not there for whoever
/// reads.
package protocol PartialReads {}
