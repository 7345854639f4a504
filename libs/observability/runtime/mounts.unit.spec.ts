import { isInWritableLayer, isMountPoint } from './mounts.js';

const CONTAINER = `\
1028 870 0:63 / / rw,relatime master:300 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A,upperdir=/var/lib/docker/overlay2/b/diff
1029 1028 0:66 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
1037 1028 254:1 /var/lib/docker/volumes/adoption/_data /data rw,relatime master:1 - ext4 /dev/vda1 rw
1038 1028 254:1 /other /with\\040space rw,relatime - ext4 /dev/vda1 rw
1039 1028 0:71 / /nested rw,relatime - tmpfs tmpfs rw
`;
const MACHINE = '29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n';

describe('what is in the container itself', () => {
  it.each([
    [CONTAINER, true, ['/adoption.sqlite', '/database/deeper/adoption.sqlite', '/data-2/adoption.sqlite']],
    [CONTAINER, false, ['/data/adoption.sqlite', '/data/deeper/adoption.sqlite', '/with space/adoption.sqlite', '/nested/adoption.sqlite']],
    [MACHINE, false, ['/data/adoption.sqlite']],
    ['', false, ['/data/adoption.sqlite']],
  ])('is what is on no volume (%#)', (mounts, expected, files) => {
    for (const file of files) expect(isInWritableLayer(file, mounts)).toBe(expected);
  });
});

describe('a mount point', () => {
  it.each([
    ['/data', true],
    ['/with space', true],
    ['/data/adoption.sqlite', false],
  ])('is a path that is mounted itself: %s', (path, expected) => expect(isMountPoint(path, CONTAINER)).toBe(expected));
});
