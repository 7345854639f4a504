import type { Logger } from 'pino';

/** The addresses of a service that has just started. */
export interface StartupInfo {
  /** The origins of the bound addresses; more than one if a host name stands for several. */
  readonly origins: readonly string[];
  /** The origin of the management port, if there is one. */
  readonly management: string | undefined;
  readonly hasConsole: boolean;
  /** The key made by a first start, shown only this once. */
  readonly demoKey: string | undefined;
}

const FIRST_START = 'This is the first start, so an API key named "demo" was made. It is shown only this once';

/** Describes a start for people: the addresses and, with the key of a first start, a first request to paste. */
export function readableBanner(startup: StartupInfo): string {
  const { origins, demoKey } = startup;
  const lines = describeAddresses(startup);
  if (demoKey !== undefined) {
    const request = `${curl(origins, demoKey)} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":7,"status":"available"}'`;
    lines.push('', `${FIRST_START}:`, `  ${demoKey}`, 'Add an animal:', `  ${request}`, '');
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Logs the same at any level except `silent`: the key cannot be learned later. The key has a line of its own, with a `curl` that lists the
 * animals, since a request body could not be pasted from JSON unchanged.
 */
export function logStartup(logger: Logger, startup: StartupInfo): void {
  const { origins, management, hasConsole, demoKey } = startup;
  const [origin = '', ...others] = origins;
  const always = logger.child({}, { level: 'info' });
  const addresses = {
    url: `${origin}/v1`,
    ...(others.length > 0 && { furtherUrls: others.map((other) => `${other}/v1`) }),
    docs: `${origin}/docs`,
    ...(management !== undefined && { metrics: `${management}/metrics`, ...(hasConsole && { console: `${management}/console` }) }),
  };
  always.info(addresses, describeAddresses(startup).join(' '));
  if (demoKey !== undefined) always.info({ key: demoKey, curl: curl(origins, demoKey) }, `${FIRST_START}.`);
}

function describeAddresses({ origins, management, hasConsole }: StartupInfo): string[] {
  const addresses = origins.map((origin) => `${origin}/v1`).join(' and ');
  return [
    `The animal adoption service listens on ${addresses} (guides and reference: ${origins[0] ?? ''}/docs).`,
    ...(management === undefined ? [] : [`Its metrics are at ${management}/metrics.`]),
    ...(management === undefined || !hasConsole ? [] : [`Its console is at ${management}/console.`]),
  ];
}

/** Makes a command for a shell of this machine, where a service on all addresses is found at the loopback address. */
function curl([origin = '']: readonly string[], key: string): string {
  const url = `${origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}/v1/pets`;
  // A shell would read the brackets of an IPv6 address as a pattern.
  return `curl -s ${url.includes('[') ? `'${url}'` : url} -H 'Authorization: Bearer ${key}'`;
}
