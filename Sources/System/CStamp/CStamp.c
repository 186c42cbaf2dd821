#include "CStamp.h"

// volatile: the compiler must not replace reads of the section by what it sees here. Not all zero bytes by declaration
// alone: an array of zeros would get no bytes in the file, which could then not be replaced.
__attribute__((used, retain, section("realmgate_commit"))) static const volatile char stamp[CSTAMP_SIZE] = "";

void cstamp_copy(char text[CSTAMP_SIZE]) {
  for (int index = 0; index < CSTAMP_SIZE; index++) text[index] = stamp[index];
  text[CSTAMP_SIZE - 1] = 0;
}
