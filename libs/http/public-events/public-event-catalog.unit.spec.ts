import fc from 'fast-check';
import { INT64_MAX } from '../validation/rules.js';
import { PublicEventCatalog } from './public-event-catalog.js';
import type { PublicResource } from './public-event.js';

const resource = (category: string, collection: string): PublicResource => ({
  category,
  collection,
  schema: { $ref: '#/components/schemas/Lamp' },
  example: () => ({ id: 1 }),
  decider: { initialState: {}, evolve: (state: unknown) => state },
  show: () => undefined,
});
const form = (as: string, version = 1) => ({ as, version, description: 'There is light.' });

describe('the catalogue of public events', () => {
  const publishedForms = new Map([
    ['lamp-lit', form('lamp.lit', 3)],
    ['street-lamp-lit', form('street-lamp.lit')],
  ]);
  const publicResources = [resource('lamp', 'lamps'), resource('street-lamp', 'street-lamps')];
  const catalog = new PublicEventCatalog({ publishedForms, publicResources }, 'https://api.example.org/v1');

  it('turns a stream into a subject and back, unless nobody publishes it', () => {
    fc.assert(
      fc.property(fc.constantFrom('lamp', 'street-lamp'), fc.bigInt({ min: 1n, max: INT64_MAX }), (category, id) => {
        const about = catalog.toSubject(`${category}-${id}`);
        expect(about).toEqual({ subject: `${category}s/${id}`, id });
        expect(catalog.toStream(about?.subject ?? '')).toBe(`${category}-${id}`);
      }),
    );
    expect(catalog.toSubject('api-key-7')).toBeUndefined();
    for (const subject of [
      '',
      'lamps',
      'lamps/',
      'lamps/0',
      'lamps/07',
      'lamps/-7',
      'lamps/7/',
      ' lamps/7',
      'Lamps/7',
      'lamp/7',
      'rooms/7',
    ]) {
      expect(catalog.toStream(subject)).toBeUndefined();
    }
  });
});
