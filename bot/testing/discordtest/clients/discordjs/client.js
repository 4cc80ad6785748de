// The bot for orders on discord.js.
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  DiscordAPIError,
  EmbedBuilder,
  Events,
  GatewayIntentBits,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { commands } from './commands.js';

const items = ['apple', 'apricot', 'banana'];
const ephemeral = (content) => ({ content, flags: MessageFlags.Ephemeral });

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: { api: process.env.DISCORD_API_URL },
});

/** What to do for each command, by its name. */
const onCommand = {
  async order(interaction) {
    if (interaction.options.getSubcommand() === 'create') {
      await createOrder(interaction);
    } else {
      await showStatus(interaction);
    }
  },

  async announce(interaction) {
    const channel = interaction.options.getChannel('channel') ?? interaction.channel;
    try {
      const sent = await channel.send({
        content: interaction.options.getString('text', true),
        nonce: interaction.id,
        enforceNonce: true,
      });
      await interaction.reply(ephemeral(`Sent with nonce ${sent.nonce}`));
    } catch (error) {
      if (!(error instanceof DiscordAPIError)) throw error;
      await interaction.reply(ephemeral(`Refused with code ${error.code}`));
    }
  },

  async feedback(interaction) {
    const subject = new TextInputBuilder().setCustomId('subject').setStyle(TextInputStyle.Short).setMaxLength(50);
    const details = new TextInputBuilder()
      .setCustomId('details')
      .setStyle(TextInputStyle.Paragraph)
      .setPlaceholder('As you like')
      .setRequired(false);
    await interaction.showModal(
      new ModalBuilder()
        .setCustomId('feedback')
        .setTitle('Feedback')
        .addLabelComponents(
          new LabelBuilder().setLabel('Subject').setTextInputComponent(subject),
          new LabelBuilder().setLabel('Details').setTextInputComponent(details),
        ),
    );
  },

  async count(interaction) {
    await interaction.reply('0');
    for (let n = 1; n <= interaction.options.getInteger('to', true); n++) {
      await interaction.followUp(String(n));
    }
  },

  /** Lists each command with its options. */
  async help(interaction) {
    const registered = await client.application.commands.fetch();
    const lines = registered.map(({ name, options }) => [name, ...options.map((option) => option.name)].join(' '));
    await interaction.reply(ephemeral(lines.join('\n')));
  },

  async Greet(interaction) {
    const target = interaction.targetUser;
    await target.send(`Greetings from ${interaction.user.username}`);
    await interaction.reply({ content: `Greeted ${target}`, allowedMentions: { users: [target.id] } });
  },
};

async function createOrder(interaction) {
  const { options } = interaction;
  const recipient = options.getUser('recipient') ?? interaction.user;
  const express = options.getBoolean('express') ? ', express' : '';
  const response = await interaction.reply({
    content: `${options.getInteger('amount') ?? 1} × ${options.getString('item', true)} for ${recipient.username}${express}`,
    components: [
      new ActionRowBuilder().addComponents(
        new ButtonBuilder().setCustomId('confirm').setLabel('Confirm').setStyle(ButtonStyle.Success),
        new ButtonBuilder().setCustomId('ship').setLabel('Ship').setStyle(ButtonStyle.Primary),
        new ButtonBuilder().setCustomId('comment').setLabel('Comment').setStyle(ButtonStyle.Secondary),
      ),
      new ActionRowBuilder().addComponents(
        new StringSelectMenuBuilder()
          .setCustomId('size')
          .setPlaceholder('Size')
          .addOptions({ label: 'Small', value: 'small' }, { label: 'Large', value: 'large' }),
      ),
    ],
    withResponse: true,
  });
  if (response.resource.message.author.id !== client.user.id) throw new Error('the order is not the bot’s own message');
}

async function showStatus(interaction) {
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  await interaction.editReply({
    embeds: [
      new EmbedBuilder()
        .setTitle(`Order ${interaction.options.getInteger('number', true)}`)
        .setDescription('On its way')
        .addFields({ name: 'Language', value: interaction.locale, inline: true })
        .setColor(0x3ba55d),
    ],
  });
}

/** What to do for each component, by its custom id. */
const onComponent = {
  async confirm(interaction) {
    await interaction.update({ content: `Confirmed: ${interaction.message.content}`, components: [] });
  },

  /** Edits the order and sends two follow-ups, the second of which it deletes. */
  async ship(interaction) {
    await interaction.deferUpdate();
    await interaction.editReply('Shipped');
    const order = await interaction.fetchReply();
    await interaction.followUp(ephemeral(`Receipt: ${order.content}`));
    const packing = await interaction.followUp('Packing');
    await interaction.deleteReply(packing);
  },

  async comment(interaction) {
    const text = new TextInputBuilder().setCustomId('text').setStyle(TextInputStyle.Paragraph).setValue('Nice');
    await interaction.showModal(
      new ModalBuilder()
        .setCustomId('comment')
        .setTitle('Comment')
        .addLabelComponents(new LabelBuilder().setLabel('Text').setTextInputComponent(text)),
    );
  },

  async size(interaction) {
    await interaction.update(`${interaction.message.content}, ${interaction.values[0]}`);
  },
};

/** What to do for each modal, by its custom id. */
const onModal = {
  async comment(interaction) {
    await interaction.update(`Comment: ${interaction.fields.getTextInputValue('text')}`);
  },

  async feedback(interaction) {
    const { fields } = interaction;
    const details = JSON.stringify(fields.getTextInputValue('details'));
    await interaction.reply(ephemeral(`Thanks for ${fields.getTextInputValue('subject')}: ${details}`));
  },
};

async function completeItem(interaction) {
  const fitting = items.filter((item) => item.startsWith(interaction.options.getFocused()));
  await interaction.respond(fitting.map((item) => ({ name: item, value: item })));
}

client.on(Events.InteractionCreate, async (interaction) => {
  try {
    if (interaction.isCommand()) await onCommand[interaction.commandName](interaction);
    else if (interaction.isAutocomplete()) await completeItem(interaction);
    else if (interaction.isMessageComponent()) await onComponent[interaction.customId](interaction);
    else if (interaction.isModalSubmit()) await onModal[interaction.customId](interaction);
  } catch (error) {
    console.error('interaction failed:', error);
  }
});
client.on(Events.Error, (error) => console.error('client:', error));
client.once(Events.ClientReady, () => client.application.commands.set(commands));

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => client.destroy());
}

await client.login(process.env.DISCORD_TOKEN);
