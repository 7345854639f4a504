import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { blankFormDecider } from '../domain/blank-form.decider.js';
import type { BlankFormEvent } from '../domain/blank-form.events.js';

const FIRST = {
  // each field
  blankText: 'First',
  blankInteger: 1n,
  blankTime: new Date('2026-06-01T20:00:00.000Z'),
  blankFlag: true,
  blankWord: 'blank-first',
} as const;
const begun: BlankFormEvent = {
  type: 'blank-form-blank-opened',
  data: {
    // each field
    blankText: 'First',
    blankInteger: '1',
    blankTime: '2026-06-01T20:00:00.000Z',
    blankFlag: true,
    blankWord: 'blank-first',
  },
};
// each command
const blankClosedEvent: BlankFormEvent = { type: 'blank-form-blank-closed', data: {} };

const BLANK_CHANGE = {
  // each field
  blankText: 'Second',
  blankInteger: 2n,
  blankTime: new Date('2026-06-01T21:00:00.000Z'),
  blankFlag: false,
  blankWord: 'blank-second',
} as const;
const blankChangedEvent: BlankFormEvent = {
  type: 'blank-form-blank-changed',
  data: {
    // each field
    blankText: 'Second',
    blankInteger: '2',
    blankTime: '2026-06-01T21:00:00.000Z',
    blankFlag: false,
    blankWord: 'blank-second',
  },
};
// end

describe('the rules of the blank forms', () => {
  it('blank open one with what was said', () => {
    given(blankFormDecider).when({ kind: 'blank-open', blankForm: FIRST }).then(begun);
  });

  // each command
  it('blank close one', () => {
    given(blankFormDecider, begun).when({ kind: 'blank-close', id: 1n }).then(blankClosedEvent);
  });

  it('give no event for one that is blank closed so already', () => {
    given(blankFormDecider, begun, blankClosedEvent).when({ kind: 'blank-close', id: 1n }).then();
  });

  it('blank close none that there never was', () => {
    given(blankFormDecider).when({ kind: 'blank-close', id: 1n }).thenRefused('not_found');
  });

  it('blank change one', () => {
    given(blankFormDecider, begun)
      .when({ kind: 'blank-change', id: 1n, ...BLANK_CHANGE })
      .then(blankChangedEvent);
  });

  it('give no event for one that is blank changed so already', () => {
    given(blankFormDecider, begun, blankChangedEvent)
      .when({ kind: 'blank-change', id: 1n, ...BLANK_CHANGE })
      .then();
  });

  it('blank change none that there never was', () => {
    given(blankFormDecider)
      .when({ kind: 'blank-change', id: 1n, ...BLANK_CHANGE })
      .thenRefused('not_found');
  });

  // end
  it('pass over what a newer build has written', () => {
    fc.assert(
      fc.property(withNewerEvents([begun]), (events) => {
        const state = events.reduce((before, event) => blankFormDecider.evolve(before, event), blankFormDecider.initialState);
        expect(state).toEqual({
          kind: 'present',
          ...FIRST,
          // if state
          blankState: 'blank-opened-state',
        });
      }),
    );
  });
});
