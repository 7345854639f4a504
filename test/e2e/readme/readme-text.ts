import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced `sh` block with the fenced block that follows it as its answer. */
export interface ShellBlock {
  readonly commands: string;
  readonly answer: string | undefined;
}

/** A fenced block of a document. */
export interface FencedBlock {
  readonly language: string;
  readonly text: string;
  /** What stands between this block and the one before. */
  readonly introduction: string;
  /** Nothing but white space stands between this block and the one before. */
  readonly followsBlock: boolean;
}

const FENCE = /^```(\w+)\n([\s\S]*?)\n```$/gm;

export const projectRoot = join(import.meta.dirname, '..', '..', '..');

export function readDocument(name: string): string {
  return readFileSync(join(projectRoot, name), 'utf8');
}

/** The shell blocks in order. */
export function shellBlocks(document: string): readonly ShellBlock[] {
  const blocks = fencedBlocks(document);
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    const answer = next?.followsBlock && next.language !== 'sh' ? next.text : undefined;
    return language === 'sh' ? [{ commands: text, answer }] : [];
  });
}

/** All fenced blocks in order. */
export function fencedBlocks(document: string): readonly FencedBlock[] {
  let end = 0;
  return [...document.matchAll(FENCE)].map(({ 0: whole, 1: language = '', 2: text = '', index }) => {
    const introduction = document.slice(end, index);
    const followsBlock = end > 0 && introduction.trim() === '';
    end = index + whole.length;
    return { language, text, introduction, followsBlock };
  });
}
