const SECRET_NAME = /password|secret|token|credential/i;
const CREDENTIALS_IN_ADDRESS = /(?<=:\/\/)[^/@\s]*(?=@)/g;

/** A copy of settings in which members named like secrets and credentials in addresses are masked. */
export function withoutSecrets(settings: object): object {
  return masked(settings) as object;
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(CREDENTIALS_IN_ADDRESS, '***');
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SECRET_NAME.test(name) ? '***' : masked(member)]));
}
