import { readConfig } from '../config/config.ts';
import { newId } from '../db/ids.ts';
import { parseAddress } from '../mail/address.ts';
import { openMail } from '../mail/mail-services.ts';
import type { Context } from './context.ts';
import { explain } from './explain.ts';
import { UsageError } from './run.ts';

/** `mail test ADDRESS`: sends a mail with the settings of the server, at once and without its queue. Opens no database. */
export async function mail({ env, output }: Context, [action, text = '']: string[]): Promise<void> {
  if (action !== 'test' || text === '') throw new UsageError();
  const to = parseAddress(text);
  if (to === undefined) throw new Error(`${text} is no e-mail address that gets mail`);
  const config = readConfig(env);
  using services = await openMail(config);
  if (!services || !config.smtp) throw new Error('SMTP_URL is not set: the server sends no mail');
  const { transport, host, publicUrl } = services;
  const subject = `Test mail of ${host}`;
  const paragraphs = [{ text: 'This server can send mail to you. It runs at:', link: publicUrl }];
  await transport.send({ to, subject, paragraphs }, newId(Date.now())).catch((error) => {
    const cause = error.code === 'EABORT' ? 'no answer in time' : explain(error);
    throw new Error(`the mail to ${to} could not be sent: ${cause}`);
  });
  output.write(`${new URL(config.smtp.url).host} took the mail to ${to} from ${config.smtp.from.address}\n`);
}
