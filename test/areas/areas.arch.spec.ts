import { existsSync } from 'node:fs';
import { AREAS, isOfArea, listSpecs } from './areas.js';

describe('the areas of the tests', () => {
  const areas = Object.keys(AREAS) as (keyof typeof AREAS)[];

  it.each(areas)('%s has an entry', (area) => {
    const entries = ['', '.sqlite'].map((mark) => `test/areas/${area}${mark}.area.ts`);
    expect(entries.filter((file) => existsSync(file))).toHaveLength(1);
  });

  it('have each spec once', () => {
    const counts = listSpecs().map((file) => [file, areas.filter((area) => isOfArea(file, area)).length]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  });
});
