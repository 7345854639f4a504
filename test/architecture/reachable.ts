/** What leads from each node to others. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** What can be reached from each node in one step or more; a node is among it where it is on a cycle. */
export function reachable(graph: Graph): Graph {
  return new Map([...graph.keys()].map((node) => [node, reachableFrom(node, graph)]));
}

function reachableFrom(start: string, graph: Graph): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of graph.get(node) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}
