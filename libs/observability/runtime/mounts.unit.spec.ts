import { isMountPoint } from './mounts.js';

const CONTAINER = `\
1028 870 0:63 / / rw,relatime master:300 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A,upperdir=/var/lib/docker/overlay2/b/diff
1037 1028 254:1 /var/lib/docker/volumes/adoption/_data /data rw,relatime master:1 - ext4 /dev/vda1 rw
1038 1028 254:1 /other /with\\040space rw,relatime - ext4 /dev/vda1 rw
`;

describe('a mount point', () => {
  it.each([
    ['/data', true],
    ['/with space', true],
    ['/data/adoption.sqlite', false],
  ])('is a path that is mounted itself: %s', (path, expected) => expect(isMountPoint(path, CONTAINER)).toBe(expected));
});
