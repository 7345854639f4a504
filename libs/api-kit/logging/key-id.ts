/** Authentication is a matter of the service: what is known here of a request's caller is its key's id, in digits. */
export function keyIdOf(request: object | undefined): string | undefined {
  const { caller } = (request ?? {}) as { readonly caller?: { readonly keyId: bigint | number | string } };
  return caller?.keyId.toString();
}
