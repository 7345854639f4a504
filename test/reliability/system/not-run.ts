/** Says in one visible line what was not tested and why. In CI that is a failure. */
export function notRun(what: string, reason: string): void {
  const line = `NOT RUN: ${what}, because ${reason}.`;
  if (process.env['CI']) throw new Error(`${line} In CI that is a failure.`);
  process.stderr.write(`\n${line}\n`);
}
