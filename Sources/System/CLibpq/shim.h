#ifndef CLIBPQ_SHIM_H
#define CLIBPQ_SHIM_H

#include <libpq-fe.h>

// Macros of characters, which Swift does not import as the integers that the functions take.
enum {
    RG_DIAG_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED,
    RG_DIAG_SQLSTATE = PG_DIAG_SQLSTATE,
    RG_DIAG_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
};

#endif
