import { existsSync } from 'node:fs';
import { AREAS, findArea, listSpecs } from './areas.js';

describe('the areas of the tests', () => {
  it.each(Object.keys(AREAS))('%s has an entry', (area) => {
    const entries = ['', '.sqlite'].map((mark) => `test/areas/${area}${mark}.area.ts`);
    expect(entries.filter((file) => existsSync(file))).toHaveLength(1);
  });

  it('have every spec', () => {
    expect(listSpecs().filter((file) => findArea(file) === undefined)).toEqual([]);
  });
});
