import { ProgressBar, type CommandRegistration } from '#libs/cli-kit';
import { ProjectionRebuilder } from '#libs/projections';

/** Adds `projections status|rebuild`. */
export const registerProjectionsCommands: CommandRegistration = (program, context) => {
  const projections = program.command('projections').description('look at and rebuild the tables that answer queries');
  projections
    .command('status')
    .description('print how far each projection is')
    .action(async () => {
      const application = await context.application();
      context.printJson(await application.get(ProjectionRebuilder, { strict: false }).status());
    });
  projections
    .command('rebuild <name>')
    .description('build a projection anew from the log, beside the live one, and switch; the service goes on serving')
    .action(async (name: string) => {
      const application = await context.application();
      const bar = new ProgressBar('rebuilding');
      try {
        const rebuilt = await application.get(ProjectionRebuilder, { strict: false }).rebuild(name, (done, total) => {
          bar.update(done, total);
        });
        context.printJson(rebuilt);
      } finally {
        bar.clear();
      }
    });
};
