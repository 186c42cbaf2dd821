// Refusals that libmicrohttpd would answer by itself, with pages in HTML, before anybody else sees the request.
//
// The library queues such a page by its own public function MHD_queue_response, and calls it as any other program would.
// This target defines that function, so the program's definition comes first, and the library's refusals come here.
#ifndef CREFUSALS_H
#define CREFUSALS_H

#include <microhttpd.h>

// Called with what the library is about to refuse, on the thread that runs its daemon. Either leaves a response in `own` that is
// sent instead of the library's page and belongs to the caller then, with which the library goes on as it would have; or
// gives MHD_YES when it has answered past the library, which then closes the connection.
typedef enum MHD_Result (*rg_refusal_handler)(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response **own);

// For all daemons of the process; set before the first one starts, always to the same.
void rg_handle_refusals(rg_refusal_handler handler);

// What MHD_queue_response does in the library.
enum MHD_Result rg_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);

#endif
