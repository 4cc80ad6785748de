import {
  ApplicationCommandType,
  ChannelType,
  ContextMenuCommandBuilder,
  PermissionFlagsBits,
  SlashCommandBuilder,
} from 'discord.js';

export const commands = [
  new SlashCommandBuilder()
    .setName('order')
    .setDescription('Your orders')
    .addSubcommand((create) =>
      create
        .setName('create')
        .setDescription('Order something')
        .addStringOption((item) =>
          item.setName('item').setDescription('What to order').setRequired(true).setAutocomplete(true),
        )
        .addIntegerOption((amount) =>
          amount.setName('amount').setDescription('How many').setMinValue(1).setMaxValue(10),
        )
        .addBooleanOption((express) => express.setName('express').setDescription('Send it today'))
        .addUserOption((recipient) => recipient.setName('recipient').setDescription('Who gets it')),
    )
    .addSubcommand((status) =>
      status
        .setName('status')
        .setDescription('Ask where an order is')
        .addIntegerOption((number) =>
          number.setName('number').setDescription('Number of the order').setRequired(true).setMinValue(1),
        ),
    ),
  new SlashCommandBuilder()
    .setName('announce')
    .setDescription('Write to a channel')
    .addStringOption((text) => text.setName('text').setDescription('What to write').setRequired(true).setMaxLength(200))
    .addChannelOption((channel) =>
      channel
        .setName('channel')
        .setDescription('Where to write it')
        .addChannelTypes(ChannelType.GuildText, ChannelType.GuildAnnouncement),
    )
    .setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild),
  new SlashCommandBuilder().setName('feedback').setDescription('Tell us what you think'),
  new SlashCommandBuilder()
    .setName('count')
    .setDescription('Count in messages')
    .addIntegerOption((to) =>
      to.setName('to').setDescription('The last number').setRequired(true).setMinValue(1).setMaxValue(20),
    ),
  new SlashCommandBuilder().setName('help').setDescription('List the commands'),
  new ContextMenuCommandBuilder().setName('Greet').setType(ApplicationCommandType.User),
];
