import { addressKeyOf, clientOf } from '../../http/client-address.ts';
import { answers, MessageOnly } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import { languageFor, textFor } from '../../http/texts/language.ts';
import type { Services } from '../../services.ts';
import { endSessionByLink } from './end-by-link.ts';
import { requestPasswordMail } from './forgot-password.ts';
import { EndByLinkBody, ForgotPasswordBody } from './schemas.ts';

export async function recoveryRoutes(app: App, services: Services): Promise<void> {
  const { accounts, clock, config, db, events, limits } = services;

  app.post('/api/password/forgot', {
    config: { access: 'public', limit: 'auth' },
    schema: {
      operationId: 'forgotPassword',
      summary: 'Mail a link for a new password to the verified address of an account, if there is one',
      body: ForgotPasswordBody,
      response: answers(MessageOnly, 400, [403, 'mail_off']),
    },
    handler: async (request) => {
      const { account, lang } = request.body;
      const asked = { account, language: languageFor(request, lang) };
      await requestPasswordMail({ db, events }, accounts.mail, accounts.mac, asked, clock.now());
      const [chinese, english] = [
        '如果该账号有已验证的邮箱，你会收到一封邮件',
        'If the account has a verified address, an email is on its way',
      ];
      return { code: 200 as const, message: textFor(request, chinese, english) };
    },
  });

  app.post('/api/sessions/end-by-link', {
    config: { access: 'public' },
    schema: {
      operationId: 'endSessionByLink',
      summary: 'End the session that a mail about a new sign-in names',
      body: EndByLinkBody,
      response: answers(MessageOnly, [400, 'link_invalid']),
    },
    handler: async (request) => {
      const { raw, body } = request;
      const client = clientOf(raw, config.trustProxy);
      const userId = await endSessionByLink({ db, events }, accounts.mac, body.token, client, clock.now());
      limits.securityLog.write('session_ended', userId, addressKeyOf(raw, config.trustProxy));
      return { code: 200 as const, message: textFor(request, '已结束该会话', 'The session is ended') };
    },
  });
}
