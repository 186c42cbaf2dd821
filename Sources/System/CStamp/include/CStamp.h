/// The commit that a program was built from, in a section of its own.
///
/// The compiler does not know the commit, because a build that depended on it would be repeated after every commit.
/// `packaging/stamp` writes it into the section of the finished program.

#pragma once

/// The size of the section in bytes, with the terminating zero.
#define CSTAMP_SIZE 64

/// Copies the text of the section, at most 63 bytes, and terminates it. The text is empty in a program without a stamp.
void cstamp_copy(char text[CSTAMP_SIZE]);
