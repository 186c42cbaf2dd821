/// What a migration block is given to bring data from one schema to another.
public struct Migration {}
