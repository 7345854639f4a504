import type { EventDefinitions, Projection } from '#libs/event-sourcing';
import { renderEventCatalog } from './event-catalog.js';

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

const sources = new Map([
  [
    'src/lamps/lamp.decider.ts',
    "type Lit = { type: 'lamp-lit' }; switch (event.type) { case 'lamp-lit': return { type: 'lamp-lit', data: {} }; }",
  ],
  ['src/rooms/dim-room.follower.ts', "readonly types = ['lamp-dimmed', 'lamp-broken'] as const;"],
  ['src/lamps/room.ts', "type Broken = { type: 'lamp-broken' }; export const isLit = (type: string) => type === 'lamp-lit';"],
]);

describe('the page of event types', () => {
  it('has a section for each module with events, and for each type its version, public form, emitters, handlers and members', () => {
    const modules = [
      { name: 'rooms', projections: [{ ...lamps, name: 'rooms' }] },
      { name: 'lamps', events: lampEvents, projections: [lamps] },
    ];
    const [, ...sections] = renderEventCatalog(modules, sources).split(/\n\n(?=##)/);
    expect(sections).toEqual([
      '## Module `lamps`',
      `### \`lamp-lit\`

- Schema version 2, to which 1 is brought when it is read.
- Published as \`lamp.lit\`, version 3.
- Emitted by \`src/lamps/lamp.decider.ts\`.
- Handled by the projection \`rooms\` of \`rooms\`, the projection \`lamps\` of \`lamps\`, \`src/lamps/lamp.decider.ts\`, \`src/lamps/room.ts\`.

| member | holds |
| --- | --- |
| \`colour\` | one of \`red\`, \`blue\` |
| \`watts\` | a number; may be absent |
| \`token\` | a text; **secret**: never shown |`,
      `### \`lamp-broken\`

- Schema version 1.
- Not published.
- Emitted by nobody.
- Handled by \`src/rooms/dim-room.follower.ts\`.

Its data has no members.
`,
    ]);
  });
});
