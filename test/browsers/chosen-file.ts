import type { Page } from 'puppeteer-core';

/**
 * Chooses a picture of two halves, blue and orange, in a field for files, as if it were on the disk. It is drawn by the browser, so no
 * file is needed.
 *
 * @param field a selector of the field
 */
export async function choosePicture(
  page: Page,
  field: string,
  { width, height, type = 'image/png' }: { width: number; height: number; type?: string },
): Promise<void> {
  await page.waitForSelector(field);
  await page.$eval(
    field,
    async (input, width, height, type) => {
      const canvas = document.createElement('canvas');
      canvas.width = width;
      canvas.height = height;
      const context = canvas.getContext('2d');
      if (!context || !(input instanceof HTMLInputElement)) throw new Error('no field for a picture');
      for (const [colour, from] of [
        ['#1a73e8', 0],
        ['#fb8c00', width / 2],
      ] as const) {
        context.fillStyle = colour;
        context.fillRect(from, 0, width / 2, height);
      }
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type));
      if (!blob) throw new Error(`no ${type}`);
      const files = new DataTransfer();
      files.items.add(new File([blob], 'picture', { type }));
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    },
    width,
    height,
    type,
  );
}
