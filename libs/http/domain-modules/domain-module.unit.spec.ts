import type { Projection } from '#libs/event-sourcing';
import { composeModules, type DomainModule } from './domain-module.js';
import { setting, text } from './settings.js';

type Contribution = Omit<DomainModule, 'name'>;

function projection(name: string): Projection {
  return { name, version: 1, eventTypes: [], tables: [], project: () => Promise.resolve() };
}

describe('composed modules', () => {
  it.each<[kind: string, contribution: Contribution]>([
    ['event type', { events: { lit: { schemaVersion: 1, data: {}, published: false } } }],
    ['projection', { projections: [projection('lit')] }],
    ['scope', { scopes: { lit: { description: 'REST' } } }],
    ['error code', { errors: { lit: { code: 'lit', status: 409, description: 'It is lit.', remedy: 'Wait.' } } }],
    ['variable', { settings: { lit: setting('LIT', text, { description: 'Light.' }) } }],
  ])('are refused if two declare the same %s', (kind, contribution) => {
    const lamps = { name: 'lamps', ...contribution };
    expect(() => composeModules([lamps])).not.toThrow();
    expect(() => composeModules([lamps, { name: 'rooms', ...contribution }])).toThrow(
      new RegExp(`^The ${kind} \\w+ is declared by lamps and by rooms: each needs its own name\\.`),
    );
  });

  it('are refused for an error code of the libraries', () => {
    const errors = { not_found: { code: 'not_found', status: 404, description: 'Gone.', remedy: 'None.' } };
    expect(() => composeModules([{ name: 'lamps', errors }])).toThrow('The error code not_found is declared by');
  });
});
