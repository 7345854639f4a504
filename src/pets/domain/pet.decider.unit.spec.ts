import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { petDecider, type PetCommand } from './pet.decider.js';
import type { PetAdded, PetCorrected, PetEvent, PetStatusSet } from './pet.events.js';

const added: PetAdded = { type: 'pet-added', data: { name: 'Rex', categoryId: '7', status: 'available' } };
const withdrawn: PetEvent = { type: 'pet-withdrawn', data: { reason: 'entered twice' } };
const reserved: PetEvent = { type: 'pet-status-set', data: { status: 'pending', orderId: '3' } };
const set = (status: PetStatusSet['data']['status'], orderId?: string): PetEvent => ({
  type: 'pet-status-set',
  data: { status, ...(orderId !== undefined && { orderId }) },
});
const corrected = (data: PetCorrected['data']): PetEvent => ({ type: 'pet-corrected', data });

const add = { kind: 'add', details: { name: 'Rex', categoryId: 7n, status: 'available' } } as const;
const change = (to: object): PetCommand => ({ kind: 'change', id: 1n, ...to });
const withdraw = { kind: 'withdraw', id: 1n, reason: 'entered twice' } as const;
const reserve = { kind: 'reserve', id: 1n } as const;

describe('an animal', () => {
  it.each<[what: string, past: PetEvent[], command: PetCommand, events: PetEvent[]]>([
    ['is added with what is known of it', [], add, [added]],
    [
      'is added without a status if none is given',
      [],
      { kind: 'add', details: { name: 'Ana', categoryId: 9223372036854775807n } },
      [{ type: 'pet-added', data: { name: 'Ana', categoryId: '9223372036854775807' } }],
    ],
    ['gets another status', [added], change({ status: 'sold' }), [set('sold')]],
    ['stays as it is by the status that it has', [added, set('sold')], change({ status: 'sold' }), []],
    ['is corrected in what differs', [added], change({ name: 'Rex', categoryId: 8n }), [corrected({ categoryId: '8' })]],
    ['is corrected in both', [added], change({ name: 'Max', categoryId: 8n }), [corrected({ name: 'Max', categoryId: '8' })]],
    ['stays as it is by the name that it has', [added, corrected({ name: 'Max' })], change({ name: 'Max', categoryId: 7n }), []],
    ['stays as it is by no change', [added], change({}), []],
    ['is withdrawn with the reason', [added], withdraw, [withdrawn]],
    ['is reserved', [added], reserve, [set('pending')]],
    ['keeps its status while it is reserved', [added, reserved], change({ status: 'pending' }), []],
    ['is corrected while it is reserved', [added, reserved], change({ name: 'Max' }), [corrected({ name: 'Max' })]],
    ['is withdrawn while it is reserved', [added, reserved], withdraw, [withdrawn]],
    ['is free after its order', [added, reserved, set('sold', '3')], change({ status: 'available' }), [set('available')]],
  ])('%s', (_, past, command, events) => {
    given(petDecider, ...past)
      .when(command)
      .then(...events);
  });

  const { status: _, ...withoutStatus } = added.data;
  it.each<[what: string, past: PetEvent[], command: PetCommand, code: string]>([
    ['changed before it is added', [], change({ status: 'sold' }), 'not_found'],
    ['withdrawn before it is added', [], withdraw, 'not_found'],
    ['added again', [added], add, 'invalid_request'],
    ['changed once it is withdrawn', [added, withdrawn], change({ name: 'Max' }), 'not_found'],
    ['withdrawn again', [added, withdrawn], withdraw, 'not_found'],
    ['added once it is withdrawn', [added, withdrawn], add, 'invalid_request'],
    ['reserved while it is pending', [added, set('pending')], reserve, 'pet_not_available'],
    ['reserved once it is sold', [added, set('sold')], reserve, 'pet_not_available'],
    ['reserved without a status', [{ type: 'pet-added', data: withoutStatus }], reserve, 'pet_not_available'],
    ['reserved again, whatever an older build has set', [added, reserved, set('available')], reserve, 'pet_not_available'],
    ['given another status while it is reserved', [added, reserved], change({ status: 'available', name: 'Max' }), 'pet_has_open_order'],
  ])('is not %s', (_what, past, command, code) => {
    given(petDecider, ...past)
      .when(command)
      .thenRefused(code);
  });

  it.each([
    ['release', 'available'],
    ['hand-over', 'sold'],
  ] as const)('has its reservation ended by %s, which makes it %s, for the order that has it', (kind, status) => {
    const ended = set(status, '3');
    given(petDecider, added, reserved).when({ kind, id: 1n, orderId: 3n }).then(ended);
    given(petDecider, added, reserved, ended).when({ kind, id: 1n, orderId: 3n }).thenRefused('conflict');
    given(petDecider, added, reserved).when({ kind, id: 1n, orderId: 4n }).thenRefused('conflict');
    given(petDecider, added, reserved, withdrawn).when({ kind, id: 1n, orderId: 3n }).then();
  });

  it.each([1, 2, 3, 4])('is what it is after %s events, whatever a newer build has written between', (count) => {
    const fold = (events: readonly PetEvent[]) => events.reduce((state, event) => petDecider.evolve(state, event), petDecider.initialState);
    const stream = [added, set('sold'), corrected({ name: 'Max' }), withdrawn].slice(0, count);
    fc.assert(fc.property(withNewerEvents(stream), (newer) => expect(fold(newer)).toEqual(fold(stream))));
  });
});
