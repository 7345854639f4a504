import type { Projection } from '#libs/event-sourcing';
import { composeModules, type DomainModule } from './domain-module.js';
import { setting, text } from './settings.js';

type Contribution = Omit<DomainModule, 'name'>;

function projection(projectionName: string, ...tables: readonly string[]): Projection {
  const table = (tableName: string) => ({ name: tableName, columns: { id: { type: 'int64' as const } }, primaryKey: ['id'] });
  return { name: projectionName, version: 1, eventTypes: [], tables: tables.map(table), project: () => Promise.resolve() };
}

describe('composed modules', () => {
  it.each<[kind: string, contribution: Contribution, other?: Contribution]>([
    ['event type', { events: { lit: { schemaVersion: 1, data: {}, published: false } } }],
    ['projection', { projections: [projection('lit')] }],
    ['table', { tables: ['lit'] }, { projections: [projection('lamps', 'lit')] }],
    ['scope', { scopes: { lit: { description: 'REST' } } }],
    ['error code', { errors: { lit: { code: 'lit', status: 409, description: 'It is lit.', remedy: 'Wait.' } } }],
    ['variable', { settings: { lit: setting('LIT', text, { description: 'Light.' }) } }],
  ])('are refused if two declare the same %s', (kind, contribution, other = contribution) => {
    const lamps = { name: 'lamps', ...contribution };
    expect(() => composeModules([lamps])).not.toThrow();
    expect(() => composeModules([lamps, { name: 'rooms', ...other }])).toThrow(
      new RegExp(`^The ${kind} \\w+ is declared by lamps and by rooms: each needs its own name\\.`),
    );
  });

  it.each<[what: string, contribution: Contribution]>([
    ['error code not_found', { errors: { not_found: { code: 'not_found', status: 404, description: 'Gone.', remedy: 'None.' } } }],
    ['table events', { tables: ['events'] }],
    ['table process_leases', { tables: ['process_leases'] }],
  ])('are refused for the %s, which a library has', (what, contribution) => {
    expect(() => composeModules([{ name: 'lamps', ...contribution }])).toThrow(`The ${what} is declared by`);
  });
  it('are refused for an event type that does not say whether it is published', () => {
    const events = { 'lamp-lit': { schemaVersion: 1, data: {}, published: undefined as unknown as false } };
    expect(() => composeModules([{ name: 'lamps', events }])).toThrow('does not say whether it leaves the service');
  });
});
