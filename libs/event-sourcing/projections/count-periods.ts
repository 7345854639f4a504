import { invalidParameter } from '#libs/observability';
import { dayOf, startOfDay } from './daily-counts.js';

const MAX_PERIODS = 400;
const DEFAULT_PERIODS = 30;
const DAYS_OF_A_WEEK = 7;
/** 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601). */
const DAYS_TO_MONDAY = 3;

export type PeriodLength = 'day' | 'week' | 'month';

/** A UTC day, week or month. */
export interface Period {
  /** Its first day, such as `2026-06-01`. */
  readonly date: string;
  /** In days since 1970-01-01. */
  readonly lastDay: number;
}

/** Which periods: those that hold a moment from `from` to `to`. */
export interface PeriodRange {
  readonly every: PeriodLength;
  /** Default: so that there are 30 periods. */
  readonly from?: Date | undefined;
  /** Default: now. */
  readonly to?: Date | undefined;
}

/** Returns the first day of the period that holds a day, `further` periods later. */
function firstDay(day: number, every: PeriodLength, further = 0): number {
  if (every === 'day') return day + further;
  if (every === 'week') return day - ((day + DAYS_TO_MONDAY) % DAYS_OF_A_WEEK) + further * DAYS_OF_A_WEEK;
  const date = startOfDay(day);
  return dayOf(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further, 1)));
}

/**
 * Returns periods, which ascend.
 * @throws ApplicationError `invalid_parameter` if `from` is after `to`, `to` is in the future, or there are more than 400 periods
 */
export function listPeriods({ every, from, to }: PeriodRange, now: Date): Period[] {
  if (to && to > now) {
    throw invalidParameter('to', 'future', `to must not be in the future; the clock of the service says ${now.toISOString()}`);
  }
  const last = dayOf(to ?? now);
  const first = from ? dayOf(from) : firstDay(last, every, 1 - DEFAULT_PERIODS);
  if (first > last) throw invalidParameter('from', 'order', 'from must not be after to');
  const periods: Period[] = [];
  for (let day = firstDay(first, every); day <= last; day = firstDay(day, every, 1)) {
    periods.push({ date: startOfDay(day).toISOString().slice(0, 10), lastDay: firstDay(day, every, 1) - 1 });
    if (periods.length > MAX_PERIODS) {
      const message = `from and to must be at most ${MAX_PERIODS} periods apart; give a later from or a longer every`;
      throw invalidParameter('from', 'distance', message);
    }
  }
  return periods;
}
