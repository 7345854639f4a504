/** Why the service cannot start, where an operator can change that: a sentence that names the variable, file or address. Needs no stack. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}

/** Names the variables of an address that cannot be listened on, such as `MANAGEMENT_PORT` with the prefix `MANAGEMENT_`. */
export function toListenError(error: unknown, { host, port }: { readonly host: string; readonly port: number }, prefix = ''): StartupError {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason =
    code === 'EADDRINUSE'
      ? `${prefix}PORT ${port} of ${host} is taken; choose another one, or 0 for any.`
      : `${prefix}HOST ${host} with ${prefix}PORT ${port} cannot be opened: ${message}`;
  return new StartupError(reason, { cause: error });
}
