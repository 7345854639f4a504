import type { Logger } from 'pino';

/** The addresses of a service that has just started. */
export interface StartupInfo {
  /** The origin of the bound address. */
  readonly origin: string;
  /** The origin of the management port, if there is one. */
  readonly management: string | undefined;
  readonly hasConsole: boolean;
  /** The key made by a first start, shown only this once. */
  readonly demoKey: string | undefined;
}

const FIRST_START = 'This is the first start, so an API key named "demo" was made. It is shown only this once';
const ANIMAL = `-H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":7,"status":"available"}'`;

/** Describes a start for people: the addresses and, with the key of a first start, a first request to paste. */
export function readableBanner(startup: StartupInfo): string {
  const lines = describeAddresses(startup);
  const { demoKey } = startup;
  if (demoKey !== undefined) lines.push('', `${FIRST_START}:`, `  ${demoKey}`, 'Add an animal:', `  ${curl(startup)} ${ANIMAL}`, '');
  return `${lines.join('\n')}\n`;
}

/**
 * Logs the same at any level except `silent`: the key cannot be learned later. The key has a line of its own, with a `curl` that lists the
 * animals, since a request body could not be pasted from JSON unchanged.
 */
export function logStartup(logger: Logger, startup: StartupInfo): void {
  const { origin, management, hasConsole, demoKey } = startup;
  const always = logger.child({}, { level: 'info' });
  const addresses = {
    url: `${origin}/v1`,
    docs: `${origin}/docs`,
    ...(management !== undefined && { metrics: `${management}/metrics`, ...(hasConsole && { console: `${management}/console` }) }),
  };
  always.info(addresses, describeAddresses(startup).join(' '));
  if (demoKey !== undefined) always.info({ key: demoKey, curl: curl(startup) }, `${FIRST_START}.`);
}

function describeAddresses({ origin, management, hasConsole }: StartupInfo): string[] {
  const lines = [`The animal adoption service listens on ${origin}/v1 (guides and reference: ${origin}/docs).`];
  if (management !== undefined) lines.push(`Its metrics are at ${management}/metrics.`);
  if (management !== undefined && hasConsole) lines.push(`Its console is at ${management}/console.`);
  return lines;
}

/** Makes a command for a shell of this machine, where a service on all addresses is found at the loopback address. */
function curl({ origin, demoKey = '' }: StartupInfo): string {
  const url = `${origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}/v1/pets`;
  // A shell would read the brackets of an IPv6 address as a pattern.
  return `curl -s '${url}' -H 'Authorization: Bearer ${demoKey}'`;
}
