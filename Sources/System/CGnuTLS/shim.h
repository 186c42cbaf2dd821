// Certificates, keys and encrypted records, by the library that libmicrohttpd speaks TLS with.
#ifndef CGNUTLS_SHIM_H
#define CGNUTLS_SHIM_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#endif
