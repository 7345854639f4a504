/** What `/metrics` tells, by the name of the metric; those with labels are left out. */
export async function readMetrics(management: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${management}/metrics`)).text();
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)] as const];
    }),
  );
}
