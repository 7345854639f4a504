import { Logger } from '@nestjs/common';
import { SettableClock } from '#libs/testing';
import { RecordingTimes } from './sequences.js';

const at = (seconds: number) => new Date(Date.parse('2026-06-01T12:00:00.000Z') + seconds * 1_000);

describe('times of events', () => {
  const warnings: string[] = [];
  const clock = new SettableClock();
  let times: RecordingTimes;
  const recordAt = (seconds: number, newest: number) => {
    clock.set(at(seconds));
    return times.following(at(newest), times.now());
  };

  beforeEach(() => {
    times = new RecordingTimes(clock);
    warnings.length = 0;
    const keep = (message: string) => warnings.push(message);
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  });
  afterEach(() => Logger.overrideLogger(false));

  it('are reported once if they are far ahead of the clock, and again after it had passed them', () => {
    recordAt(0, 3_600);
    recordAt(5, 3_600);
    recordAt(3_600, 3_600);
    expect(warnings).toEqual([
      'The newest event is of 2026-06-01T13:00:00.000Z, but the clock says 2026-06-01T12:00:00.000Z: until it has passed that, ' +
        'all events are recorded with that time. Set the clocks of all machines right.',
    ]);
    recordAt(0, 3_600);
    expect(warnings).toHaveLength(2);
  });
});
