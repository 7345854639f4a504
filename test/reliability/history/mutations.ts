/** A list with one of its items lost, doubled or replaced by a changed one, with what was done to it. */
export type Mutation<Item> = readonly [what: string, list: readonly Item[]];

/** Every list that differs from a right one in one item. @param change makes of an item one that is wrong */
export function mutationsOf<Item>(name: string, right: readonly Item[], change?: (item: Item) => Item): Mutation<Item>[] {
  return right.flatMap((item, index): Mutation<Item>[] => [
    [`${name} without its item ${index}`, right.toSpliced(index, 1)],
    [`${name} with its item ${index} twice`, right.toSpliced(index, 0, item)],
    ...(change ? [[`${name} with another item ${index}`, right.with(index, change(item))] as const] : []),
  ]);
}
