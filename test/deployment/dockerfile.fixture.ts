import { readFileSync } from 'node:fs';

/** One line of a Dockerfile, continued lines joined. */
export interface Instruction {
  readonly keyword: string;
  readonly value: string;
}

/** What a `FROM` begins. */
export interface Stage {
  readonly name: string | undefined;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

const VARIABLE = /([A-Z_]+)=(\S+)/g;
const COPY = /^(?:--from=(\S+) )?(.+) (\S+)$/;

/** The stages of the Dockerfile, with the arguments before the first `FROM` filled in. */
export function readStages(): readonly Stage[] {
  const [globals = '', ...stages] = readFileSync('Dockerfile', 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split(/^(?=FROM )/m);
  const defaults = new Map([...globals.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]));
  return stages.map((text) => {
    const [from = '', ...lines] = text.split('\n').filter((line) => line !== '');
    const [, image = '', name] = /^FROM (\S+)(?: AS (\S+))?$/.exec(from) ?? [];
    return {
      name,
      image: image.replace(/\$\{(\w+)\}/g, (_, argument: string) => defaults.get(argument) ?? ''),
      instructions: lines.map((line) => ({ keyword: line.slice(0, line.indexOf(' ')), value: line.slice(line.indexOf(' ') + 1) })),
    };
  });
}

/** The last stage, which is the image. */
export function readImage(): Stage {
  const image = readStages().at(-1);
  if (!image) throw new Error('The Dockerfile has no stage.');
  return image;
}

export function valuesOf({ instructions }: Stage, keyword: string): string[] {
  return instructions.filter((instruction) => instruction.keyword === keyword).map(({ value }) => value);
}

/** The words of `CMD` or of the command of `HEALTHCHECK`. Both must stand in exec form: without a shell, signals arrive. */
export function wordsOf(stage: Stage, keyword: 'CMD' | 'HEALTHCHECK'): string[] {
  const [value = ''] = valuesOf(stage, keyword);
  return JSON.parse(value.slice(value.indexOf('['))) as string[];
}

/** The environment variables that the image sets. */
export function environmentOf(stage: Stage): Record<string, string> {
  return Object.fromEntries(
    valuesOf(stage, 'ENV').flatMap((value) => [...value.matchAll(VARIABLE)].map(([, name = '', text = '']) => [name, text])),
  );
}

export interface Copy {
  /** The stage it comes from; undefined for the sources. */
  readonly from: string | undefined;
  readonly paths: readonly string[];
}

export function copiesOf(stage: Stage): Copy[] {
  return valuesOf(stage, 'COPY').map((value) => {
    const [, from, paths = ''] = COPY.exec(value) ?? [];
    return { from, paths: paths.split(' ') };
  });
}
