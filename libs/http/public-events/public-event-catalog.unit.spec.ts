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
const definitions = {
  publishedForms: new Map([
    ['lamp-lit', form('lamp.lit', 3)],
    ['street-lamp-lit', form('street-lamp.lit')],
  ]),
  publicResources: [resource('lamp', 'lamps'), resource('street-lamp', 'street-lamps')],
};
const catalog = new PublicEventCatalog(definitions, 'https://api.example.org/v1');

describe('the catalogue of public events', () => {
  it('finds a type by its name and by the name under which it is stored', () => {
    expect(catalog.find('lamp.lit')).toBe(catalog.findStored('lamp-lit'));
    expect(catalog.find('street-lamp.lit')?.resource.collection).toBe('street-lamps');
    expect([catalog.find('lamp-lit'), catalog.findStored('lamp.lit'), catalog.find('constructor')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('gives each type the address of its schema, beside the paths of the interface', () => {
    expect(catalog.types.map(({ dataschema }) => dataschema)).toEqual([
      'https://api.example.org/schemas/lamp.lit/3',
      'https://api.example.org/schemas/street-lamp.lit/1',
    ]);
  });

  it('turns a stream into a subject and back', () => {
    fc.assert(
      fc.property(fc.constantFrom('lamp', 'street-lamp'), fc.bigInt({ min: 1n, max: INT64_MAX }), (category, id) => {
        const about = catalog.toSubject(`${category}-${id}`);
        expect(about).toEqual({ subject: `${category}s/${id}`, id });
        expect(catalog.toStream(about?.subject ?? '')).toBe(`${category}-${id}`);
      }),
    );
  });

  it.each(['', 'lamps', 'lamps/', 'lamps/0', 'lamps/07', 'lamps/-7', 'lamps/7/', ' lamps/7', 'Lamps/7', 'lamp/7', 'rooms/7', 'lamps/7.0'])(
    'takes %j for no subject',
    (subject) => {
      expect(catalog.toStream(subject)).toBeUndefined();
    },
  );

  it('has no subject for a stream that nobody publishes', () => {
    expect(catalog.toSubject('api-key-7')).toBeUndefined();
  });

  it('refuses a type of a category that nobody publishes', () => {
    const publishedForms = new Map([['room-lit', form('room.lit')]]);
    expect(() => new PublicEventCatalog({ ...definitions, publishedForms }, '')).toThrow('Nobody publishes the streams of room.lit.');
  });
});
