import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { petDecider } from './pet.decider.js';
import type { PetAdded, PetEvent } from './pet.events.js';
import type { PetStatus } from './pet.js';

const added: PetAdded = { type: 'pet-added', data: { name: 'Rex', categoryId: '7', status: 'available' } };
const withdrawn: PetEvent = { type: 'pet-withdrawn', data: { reason: 'entered twice' } };

describe('an animal that was never added', () => {
  it('is added with what is known of it', () => {
    given(petDecider)
      .when({ kind: 'add', details: { name: 'Rex', categoryId: 7n, status: 'available' } })
      .then(added);
  });

  it('is added without a status where none was given', () => {
    given(petDecider)
      .when({ kind: 'add', details: { name: 'Ana', categoryId: 9223372036854775807n } })
      .then({ type: 'pet-added', data: { name: 'Ana', categoryId: '9223372036854775807' } });
  });

  it.each([
    { kind: 'change', id: 1n, status: 'sold' },
    { kind: 'change', id: 1n, name: 'Max' },
    { kind: 'withdraw', id: 1n, reason: 'entered twice' },
  ] as const)('cannot be changed: $kind $status $name', (command) => {
    given(petDecider).when(command).thenRefused('not_found');
  });
});

describe('an animal that was added', () => {
  it('cannot be added again', () => {
    given(petDecider, added)
      .when({ kind: 'add', details: { name: 'Rex', categoryId: 7n } })
      .thenRefused('invalid_request');
  });

  it('gets another status', () => {
    given(petDecider, added)
      .when({ kind: 'change', id: 1n, status: 'sold' })
      .then({ type: 'pet-status-set', data: { status: 'sold' } });
  });

  it('gives no event for the status it has', () => {
    given(petDecider, added, { type: 'pet-status-set', data: { status: 'sold' } })
      .when({ kind: 'change', id: 1n, status: 'sold' })
      .then();
  });

  it('records of a correction only what differs', () => {
    given(petDecider, added)
      .when({ kind: 'change', id: 1n, name: 'Rex', categoryId: 8n })
      .then({ type: 'pet-corrected', data: { categoryId: '8' } });
  });

  it('records both when both differ', () => {
    given(petDecider, added)
      .when({ kind: 'change', id: 1n, name: 'Max', categoryId: 8n })
      .then({ type: 'pet-corrected', data: { name: 'Max', categoryId: '8' } });
  });

  it('gives no event for a correction to what is so already', () => {
    given(petDecider, added, { type: 'pet-corrected', data: { name: 'Max', categoryId: '8' } })
      .when({ kind: 'change', id: 1n, name: 'Max', categoryId: 8n })
      .then();
  });

  it('gives no event for a correction of nothing', () => {
    given(petDecider, added).when({ kind: 'change', id: 1n }).then();
  });

  it('is withdrawn with the reason', () => {
    given(petDecider, added).when({ kind: 'withdraw', id: 1n, reason: 'entered twice' }).then(withdrawn);
  });
});

describe('a withdrawn animal', () => {
  it.each([
    { kind: 'change', id: 1n, status: 'sold' },
    { kind: 'change', id: 1n, name: 'Max' },
    { kind: 'withdraw', id: 1n, reason: 'again' },
  ] as const)('cannot be changed: $kind $status $name', (command) => {
    given(petDecider, added, withdrawn).when(command).thenRefused('not_found');
  });

  it('cannot be added again', () => {
    given(petDecider, added, withdrawn)
      .when({ kind: 'add', details: { name: 'Rex', categoryId: 7n } })
      .thenRefused('invalid_request');
  });
});

describe('the reservation of an animal', () => {
  const reserved: PetEvent = { type: 'pet-status-set', data: { status: 'pending', orderId: '3' } };
  const withStatus = (status?: PetStatus): PetEvent => ({
    type: 'pet-added',
    data: { name: 'Rex', categoryId: '7', ...(status && { status }) },
  });

  it('makes one that is available pending', () => {
    given(petDecider, added)
      .when({ kind: 'reserve', id: 1n })
      .then({ type: 'pet-status-set', data: { status: 'pending' } });
  });

  it.each(['pending', 'sold', undefined] as const)('is refused for one with the status %s', (status) => {
    given(petDecider, withStatus(status)).when({ kind: 'reserve', id: 1n }).thenRefused('pet_not_available');
  });

  it('is refused for one that is reserved, whatever an older build has set its status to', () => {
    given(petDecider, added, reserved, { type: 'pet-status-set', data: { status: 'available' } })
      .when({ kind: 'reserve', id: 1n })
      .thenRefused('pet_not_available');
  });

  it.each([
    ['release', 'available'],
    ['hand-over', 'sold'],
  ] as const)('ends with %s, which makes it %s', (kind, status) => {
    const ended: PetEvent = { type: 'pet-status-set', data: { status, orderId: '3' } };
    given(petDecider, added, reserved).when({ kind, id: 1n, orderId: 3n }).then(ended);
    given(petDecider, added, reserved, ended).when({ kind, id: 1n, orderId: 3n }).then();
    given(petDecider, added, reserved).when({ kind, id: 1n, orderId: 4n }).then();
    given(petDecider, added, reserved, withdrawn).when({ kind, id: 1n, orderId: 3n }).then();
  });

  it('keeps its status from being set by hand, but nothing else', () => {
    const past = [added, reserved] as const;
    given(petDecider, ...past)
      .when({ kind: 'change', id: 1n, status: 'available', name: 'Max' })
      .thenRefused('pet_has_open_order');
    given(petDecider, ...past)
      .when({ kind: 'change', id: 1n, status: 'pending' })
      .then();
    given(petDecider, ...past)
      .when({ kind: 'change', id: 1n, name: 'Max' })
      .then({ type: 'pet-corrected', data: { name: 'Max' } });
    given(petDecider, ...past)
      .when({ kind: 'withdraw', id: 1n, reason: 'entered twice' })
      .then(withdrawn);
  });

  it('can follow once the status was set by hand', () => {
    const sold: PetEvent = { type: 'pet-status-set', data: { status: 'sold', orderId: '3' } };
    given(petDecider, added, reserved, sold)
      .when({ kind: 'change', id: 1n, status: 'available' })
      .then({ type: 'pet-status-set', data: { status: 'available' } });
  });
});

describe('what a newer build has written into the stream of an animal', () => {
  const fold = (events: readonly PetEvent[]) => events.reduce((state, event) => petDecider.evolve(state, event), petDecider.initialState);
  const changes: readonly PetEvent[] = [
    { type: 'pet-status-set', data: { status: 'sold' } },
    { type: 'pet-corrected', data: { name: 'Max' } },
    withdrawn,
  ];

  it.each([1, 2, 3, 4])('changes nothing of what it is after %s events', (count) => {
    const stream = [added, ...changes].slice(0, count);
    fc.assert(fc.property(withNewerEvents(stream), (newer) => expect(fold(newer)).toEqual(fold(stream))));
  });
});
