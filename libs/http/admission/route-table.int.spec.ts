import { Controller, Get } from '@nestjs/common';
import { createControllersApp } from '../testing/controllers-app.js';

@Controller('notes')
class NotesController {
  @Get()
  list(): void {}
}

describe('a route that does not say who may call it', () => {
  it('stops the start', async () => {
    const { app } = await createControllersApp({ controllers: [NotesController] });
    await expect(app.init()).rejects.toThrow(/^GET \/notes \(NotesController\.list\) has no access decorator: add @RequiresScope/);
    await app.close();
  });
});
