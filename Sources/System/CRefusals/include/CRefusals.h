// Rejections that libmicrohttpd would answer by itself, with pages in HTML, before any handler sees the request.
//
// The library queues such a page by its own public function MHD_queue_response, and calls it as any other program would.
// This target defines that function, so the program's definition has precedence, and the library's rejections come here.
#ifndef CREFUSALS_H
#define CREFUSALS_H

#include <microhttpd.h>

// Called with the response by which the library is about to reject a request, on the thread that runs its daemon. The
// callback either stores another response in `own`, which is sent instead of the library's page and then belongs to the
// caller, and may store its status, after which the library continues as usual; or it returns MHD_YES when it has
// answered around the library, which then closes the connection.
typedef enum MHD_Result (*rg_refusal_handler)(
    struct MHD_Connection *connection, unsigned int *status, struct MHD_Response **own);

// For all daemons of the process; set before the first one starts, always to the same.
void rg_handle_refusals(rg_refusal_handler handler);

// The library's own MHD_queue_response.
enum MHD_Result rg_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);

#endif
