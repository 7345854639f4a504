/** What makes a text stand out. Each goes with words that say the same, for whoever sees no colours. */
export type Tone = 'bad' | 'good' | 'heading' | 'quiet' | 'strong';

/** Gives a text its tone, or leaves it as it is where there are no colours. */
export type Style = (tone: Tone, text: string) => string;

const CODES: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  bad: [31, 39],
  good: [32, 39],
  heading: [1, 22],
  quiet: [2, 22],
  strong: [1, 22],
};

const coloured: Style = (tone, text) => `\u001b[${CODES[tone][0]}m${text}\u001b[${CODES[tone][1]}m`;
const plain: Style = (_tone, text) => text;

/** Whether a terminal gets colours: unless `NO_COLOR` is set to anything (no-color.org), `FORCE_COLOR` is 0, or it says that it is dumb. */
export function hasColours({ NO_COLOR = '', FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>>): boolean {
  return NO_COLOR === '' && FORCE_COLOR !== '0' && TERM !== 'dumb';
}

/** Colours where the terminal gets them. */
export function styleOf(environment: Readonly<Record<string, string | undefined>>): Style {
  return hasColours(environment) ? coloured : plain;
}
