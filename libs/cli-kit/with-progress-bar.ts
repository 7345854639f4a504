import { ProgressBar } from './progress-bar.js';

/** How far a long command is, in any unit. */
export type Progress = (done: bigint, total: bigint) => void;

/** Shows a bar while `work` tells how far it is; it is gone when this settles. */
export async function withProgressBar<Result>(label: string, work: (onProgress: Progress) => Promise<Result>): Promise<Result> {
  const bar = new ProgressBar(label);
  try {
    return await work((done, total) => {
      bar.update(done, total);
    });
  } finally {
    bar.clear();
  }
}
