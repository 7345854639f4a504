/** Why the service cannot start, where an operator can change that: a sentence that names the variable, file or address. Needs no stack. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}

/** The variables of an address to listen on, and what else the port may be. */
interface ListenVariables {
  readonly host: string;
  readonly port: string;
  readonly choices: string;
}

/** Names the variables of an address that cannot be listened on. */
export function toListenError(
  error: unknown,
  address: { readonly host: string; readonly port: number },
  names: ListenVariables,
): StartupError {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason =
    code === 'EADDRINUSE'
      ? `${names.port} ${address.port} of ${address.host} is taken; choose another one, ${names.choices}.`
      : `${names.host} ${address.host} with ${names.port} ${address.port} cannot be opened: ${message}`;
  return new StartupError(reason, { cause: error });
}
