import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer, messageAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { Privacy, PrivacyBody } from '../users/privacy.ts';
import { readPrivacy, updatePrivacy } from './privacy.ts';
import { Settings, SettingsBody } from './schemas.ts';
import { updateSettings } from './settings.ts';

export async function settingsRoutes(app: App, { clock, db, events }: Services): Promise<void> {
  app.post('/api/user/settings', {
    schema: {
      operationId: 'updateSettings',
      summary: 'Change the own settings: the fields that are sent',
      body: SettingsBody,
      response: answers(messageAnswer(Settings), 400, 401),
    },
    handler: async (request) => {
      const data = await updateSettings({ db, events }, callerOf(request).userId, request.body, clock.now());
      return {
        code: 200 as const,
        message: textFor(request, '设置更新成功', 'The settings are saved'),
        data,
      };
    },
  });
  app.get('/api/user/privacy', {
    schema: {
      operationId: 'privacy',
      summary: 'Who may reach the user, and what others see of them',
      response: answers(dataAnswer(Privacy), 401),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await readPrivacy(db, callerOf(request).userId),
    }),
  });

  app.post('/api/user/privacy', {
    schema: {
      operationId: 'setPrivacy',
      summary: 'Change who may reach the user, and what others see of them: the fields that are sent',
      body: PrivacyBody,
      response: answers(dataAnswer(Privacy), 400, 401),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      return {
        code: 200 as const,
        data: await updatePrivacy({ db, events }, userId, request.body, clock.now()),
      };
    },
  });
}
