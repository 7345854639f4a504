export const MIGRATIONS = Symbol('every migration of this build');
