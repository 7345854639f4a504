/** For each node, all that it leads to over any number of steps; itself only where a way leads back to it. */
export function reachableFrom(steps: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([...steps.keys()].map((start) => [start, visit(start, steps)]));
}

function visit(start: string, steps: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of steps.get(node) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}
