import type { Logger } from 'pino';

/** Where a service that was just started is found. */
export interface StartupInfo {
  /** The origins of the addresses that it has bound; more than one where a host name stands for several. */
  readonly origins: readonly string[];
  /** The origin of the management port; undefined where there is none. */
  readonly management: string | undefined;
  readonly hasConsole: boolean;
  /** The key of a first start, which is shown this once. */
  readonly demoKey: string | undefined;
}

/** What people are told of a start: where the service is and, with a key of a first start, how to send a first request. */
export function announcementForPeople(startup: StartupInfo): string {
  const { origins, demoKey } = startup;
  const lines = [...sentencesOf(startup)];
  if (demoKey !== undefined) {
    lines.push(
      '',
      'This is the first start, so an API key named "demo" was made. It is shown only this once:',
      `  ${demoKey}`,
      'Add an animal:',
      `  ${curl(origins, demoKey)} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":7,"status":"available"}'`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Says the same on lines of the log, at whatever level it is but `silent`: it could not be learned later. The key has a line of its own.
 * Its `curl` lists the animals, since the body of one to add could not be pasted from JSON as it stands.
 */
export function logAnnouncement(logger: Logger, startup: StartupInfo): void {
  const { origins, management, hasConsole, demoKey } = startup;
  const [origin = '', ...others] = origins;
  const always = logger.child({}, { level: 'info' });
  always.info(
    {
      url: `${origin}/v1`,
      ...(others.length > 0 && { furtherUrls: others.map((other) => `${other}/v1`) }),
      reference: `${origin}/docs`,
      ...(management !== undefined && { metrics: `${management}/metrics`, ...(hasConsole && { console: `${management}/console` }) }),
    },
    sentencesOf(startup).join(' '),
  );
  if (demoKey === undefined) return;
  always.info(
    { key: demoKey, curl: curl(origins, demoKey) },
    'This is the first start, so an API key named "demo" was made. It is shown only this once.',
  );
}

function sentencesOf({ origins, management, hasConsole }: StartupInfo): string[] {
  const addresses = origins.map((origin) => `${origin}/v1`).join(' and ');
  return [
    `The animal adoption service listens on ${addresses} (reference: ${origins[0] ?? ''}/docs).`,
    ...(management === undefined ? [] : [`Its metrics are at ${management}/metrics.`]),
    ...(management === undefined || !hasConsole ? [] : [`Its console is at ${management}/console.`]),
  ];
}

/** For a shell of this machine, where what listens on all addresses is found on the loopback one. */
function curl([origin = '']: readonly string[], key: string): string {
  const url = `${origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}/v1/pets`;
  // Brackets mean something to a shell.
  return `curl -s ${url.includes('[') ? `'${url}'` : url} -H 'Authorization: Bearer ${key}'`;
}
