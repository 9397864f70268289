/**
 * The address from which a browser downloads the data of a user, by a ticket of `api.exportTicket`: it needs no token and works once.
 * To be followed by a link with `download`, so that a refusal is a failed download and not another page.
 *
 * @param baseUrl the address of the service, as for `createDoorman`
 */
export function exportUrl(ticket: string, baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/api/account/export?ticket=${encodeURIComponent(ticket)}`;
}
