import { changesOf, streamNamed, streamOf } from './time-line.mjs';

describe('the time line of a stream', () => {
  it('takes a number for an animal, and all else as it is', () => {
    expect([' 7 ', '007', 'order-3', ''].map(streamOf)).toEqual(['pet-7', 'pet-7', 'order-3', '']);
  });

  it('knows which members of an event name a stream', () => {
    expect([streamNamed('petId', '7'), streamNamed('orderId', 3), streamNamed('categoryId', 3), streamNamed('petId', 'x')]).toEqual([
      'pet-7',
      'order-3',
      null,
      null,
    ]);
  });

  it('says what a member was before, where it has changed', () => {
    const items = [
      { data: { name: 'Rex', status: 'available' } },
      { data: { status: 'sold' } },
      { data: { status: 'sold' } },
      { data: null },
    ];
    expect(changesOf(items)).toEqual([
      [
        { name: 'name', value: 'Rex' },
        { name: 'status', value: 'available' },
      ],
      [{ name: 'status', value: 'sold', before: 'available' }],
      [{ name: 'status', value: 'sold' }],
      [],
    ]);
  });
});
