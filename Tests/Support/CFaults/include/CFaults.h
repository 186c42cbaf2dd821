// Faults on demand, for tests: a library that is put in front of a process with LD_PRELOAD and stands between it
// and the system's file calls. Nothing links to it and nothing includes this file; the settings are read from the
// environment when the library is loaded.
//
//   REALMGATE_FAULT_FILES  fnmatch patterns of paths, separated by ':'. Calls on other files pass through.
//   REALMGATE_FAULT        CALL:NUMBER:ACTION[:ARGUMENT]. The NUMBER-th call, counted from 1, of the kind CALL on
//                          those files fails; with a '+' after the number every later one as well.
//                            CALL    write (write, pwrite, writev, pwritev), sync (fsync, fdatasync, msync),
//                                    truncate (ftruncate, fallocate), rename (rename, link)
//                            ACTION  fail:ERRNO    does not execute the call and reports that error
//                                    late:ERRNO    executes the call, then reports the error
//                                    short:BYTES   writes that many bytes at most, and reports that
//                                    torn:BYTES    writes that many bytes at most, then ends the process
//                                    before        ends the process instead
//                                    after         ends the process after the call
//                                    wait:MILLISECONDS  executes the call, and returns only after that time
//                          The process is ended with SIGKILL. A failed call writes "fault CALL NUMBER" to standard error.
//   REALMGATE_FAULT_TRACE  a file that gets a record of every such call that was let through, and of what the
//                          process says on standard output: see trace.h.
#pragma once
