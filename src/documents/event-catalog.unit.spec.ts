import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventDefinitions } from '#libs/event-store';
import type { Projection } from '#libs/projections';
import { renderEventCatalog } from './event-catalog.js';
import { eventMentions } from './event-mentions.js';

const lampEvents = {
  'lamp-lit': {
    schemaVersion: 2,
    data: { colour: ['red', 'blue'], 'watts?': 'number', token: 'text' },
    upcasters: { 1: (data: object) => data },
    secrets: ['token'],
    published: { as: 'lamp.lit', version: 3, description: 'There is light.' },
  },
  'lamp-broken': { schemaVersion: 1, data: {}, published: false },
} as const satisfies EventDefinitions;

const lamps: Projection = { name: 'lamps', version: 1, eventTypes: ['lamp-lit'], tables: [], project: () => Promise.resolve() };

const DECIDER = `
type Lit = { type: 'lamp-lit' };
export const light = () => [{ type: 'lamp-lit', data: {} }];
export function evolve(event: Lit) {
  switch (event.type) { case 'lamp-lit': return 'lit'; }
}
`;

describe('the page of event types', () => {
  let folder: string;
  let page: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'adoption-events-'));
    mkdirSync(join(folder, 'src', 'lamps'), { recursive: true });
    writeFileSync(join(folder, 'src', 'lamps', 'lamp.decider.ts'), DECIDER);
    writeFileSync(join(folder, 'src', 'lamps', 'lamp.decider.unit.spec.ts'), "const event = { type: 'lamp-broken' };");
    writeFileSync(join(folder, 'src', 'lamps', 'room.ts'), "export const isLit = (type: string) => type === 'lamp-lit';");
    page = renderEventCatalog(
      [
        { name: 'rooms', projections: [{ ...lamps, name: 'rooms' }] },
        { name: 'lamps', events: lampEvents, projections: [lamps] },
      ],
      eventMentions(folder, 'src', new Set(Object.keys(lampEvents))),
    );
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a section for each module with events, and for each type', () => {
    expect(page.match(/^##.*/gm)).toEqual(['## Module `lamps`', '### `lamp-lit`', '### `lamp-broken`']);
  });

  it('tells the version, and which older ones are brought to it', () => {
    expect(page).toContain('- Schema version 2, to which 1 is brought when it is read.\n');
  });

  it('tells in which form it leaves the service, if it does', () => {
    expect(page.match(/^- (Not published|Published).*/gm)).toEqual(['- Published as `lamp.lit`, version 3.', '- Not published.']);
  });

  it('tells who emits a type: files that make such an object, not types and tests', () => {
    expect(page.match(/^- Emitted.*/gm)).toEqual(['- Emitted by `src/lamps/lamp.decider.ts`.', '- Emitted by nobody.']);
  });

  it('tells who handles a type: projections of every module and files that tell it from others', () => {
    expect(page.match(/^- Handled.*/gm)).toEqual([
      '- Handled by the projection `rooms` of `rooms`, the projection `lamps` of `lamps`, `src/lamps/lamp.decider.ts`, `src/lamps/room.ts`.',
      '- Handled by nobody.',
    ]);
  });

  it('tells what each member holds, whether it may be absent and whether it is a secret', () => {
    expect(page.match(/^\| `.*/gm)).toEqual([
      '| `colour` | one of `red`, `blue` |',
      '| `watts` | a number; may be absent |',
      '| `token` | a text; **secret**: never shown |',
    ]);
  });
});
