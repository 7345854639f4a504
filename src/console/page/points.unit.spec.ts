import { newest, noPoints, total, withPoints } from './points.mjs';

const columns = ['time', 'p50'];

describe('the points of the console', () => {
  const first = withPoints(noPoints, {
    columns,
    last: 2,
    rows: [
      [1, null],
      [2, 5],
    ],
  });

  it('are one list for each column, and grow at the end', () => {
    expect(withPoints(first, { columns, last: 3, rows: [[3, null]] })).toEqual({
      last: 3,
      series: { time: [1, 2, 3], p50: [null, 5, null] },
    });
  });

  it('are forgotten where the service was started anew', () => {
    expect(withPoints(first, { columns, last: 1, rows: [[9, 1]] })).toEqual({ last: 1, series: { time: [9], p50: [1] } });
  });

  it('are those of five minutes at most', () => {
    const rows = Array.from({ length: 400 }, (_, index) => [index, index]);
    const { series } = withPoints(first, { columns, last: 402, rows });
    expect([series['time']?.length, series['time']?.[0]]).toEqual([300, 100]);
  });

  it('have a newest value and a sum, also without any', () => {
    expect([newest(first.series['p50']), newest([1, null]), newest(), newest([null])]).toEqual([5, 1, null, null]);
    expect([total([1, null, 2]), total()]).toEqual([3, 0]);
  });
});
