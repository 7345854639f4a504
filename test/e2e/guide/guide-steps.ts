import { fencedBlocks } from '../readme/readme-text.js';

/** One thing that a reader of the guide does: run commands, write a file, change a file. */
export type GuideStep =
  | { readonly kind: 'run'; readonly commands: string; readonly answer: string | undefined }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'change'; readonly path: string; readonly difference: string };

const NAMED_FILE = /`([\w./-]+)`:\s*$/;
const CHANGED_FILE = '+++ ';

/**
 * The steps of a guide in order: `sh` blocks, with the block right behind them as their answer; `ts` blocks behind a file's name; and `diff`
 * blocks with the changes of one or more files, each below a line `+++ path`.
 * @throws Error for a block that is none of these
 */
export function guideSteps(document: string): readonly GuideStep[] {
  const blocks = fencedBlocks(document);
  return blocks.flatMap(({ language, text, introduction, followsBlock }, index): GuideStep[] => {
    const next = blocks[index + 1];
    const path = NAMED_FILE.exec(introduction)?.[1];
    if (language === 'sh') {
      return [{ kind: 'run', commands: text, answer: next?.followsBlock && next.language !== 'sh' ? next.text : undefined }];
    }
    if (language === 'ts' && path !== undefined) return [{ kind: 'write', path, text: `${text}\n` }];
    if (language === 'diff' && text.startsWith(CHANGED_FILE)) return `\n${text}`.split(`\n${CHANGED_FILE}`).slice(1).map(toChange);
    if (followsBlock && blocks[index - 1]?.language === 'sh') return [];
    throw new Error(`Nobody can tell what to do with this block:\n${text}`);
  });
}

function toChange(text: string): GuideStep {
  const [path = '', ...lines] = text.split('\n');
  return { kind: 'change', path, difference: lines.join('\n') };
}

/** Applies the parts of a difference, which lines `@@` separate, one after another. @throws Error unless each fits at exactly one place */
export function changed(text: string, difference: string): string {
  return difference.split('\n@@\n').reduce(changedAt, text);
}

/** Applies lines that begin with `+`, `-` or a space, as `diff` writes them, where they fit. */
function changedAt(text: string, difference: string): string {
  const lines = difference.split('\n').map((line) => ({ sign: line.charAt(0), content: line.slice(1) }));
  const without = (sign: string) => lines.filter((line) => line.sign !== sign).map(({ content }) => `${content}\n`);
  const [before, after, ...further] = text.split(without('+').join(''));
  if (before === undefined || after === undefined || further.length > 0) throw new Error(`This does not fit at one place:\n${difference}`);
  return [before, ...without('-'), after].join('');
}
