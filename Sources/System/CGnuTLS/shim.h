// Hashes, signatures, certificates, keys and encrypted records, with libmicrohttpd's TLS library.
#ifndef CGNUTLS_SHIM_H
#define CGNUTLS_SHIM_H

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// The library's function is a variable, which Swift does not consider safe to read.
static inline void rg_gnutls_free(void *memory) { gnutls_free(memory); }

#endif
