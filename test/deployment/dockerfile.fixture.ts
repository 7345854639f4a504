import { readFileSync } from 'node:fs';

/** What the last stage of the Dockerfile, the image, says about how it runs. */
export interface Image {
  readonly user: { readonly uid: number; readonly gid: number };
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The words of the command. */
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Reads the Dockerfile. @throws SyntaxError unless commands are in exec form, in which signals arrive at the service */
export function readImage(): Image {
  const text = readFileSync('Dockerfile', 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '');
  const stage = text.slice(text.lastIndexOf('\nFROM '));
  const valueOf = (keyword: string) => new RegExp(`^${keyword} (.*)$`, 'm').exec(stage)?.[1] ?? '';
  const wordsOf = (keyword: string) => JSON.parse(valueOf(keyword).replace(/^[^[]*/, '')) as string[];
  const [uid = 0, gid = 0] = valueOf('USER').split(':').map(Number);
  return {
    user: { uid, gid },
    environment: Object.fromEntries([...valueOf('ENV').matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value])),
    folder: valueOf('WORKDIR'),
    command: wordsOf('CMD'),
    healthCheck: wordsOf('HEALTHCHECK'),
  };
}
