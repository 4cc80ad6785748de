"""The bot for orders on discord.py."""

import json
import os
from typing import List, Optional

import discord
import yarl
from discord import app_commands

# discord.py takes the address of Discord from these two.
discord.http.Route.BASE = os.environ["DISCORD_API_URL"] + "/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_GATEWAY_URL"])

ITEMS = ["apple", "apricot", "banana"]


class Client(discord.Client):
    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True))
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        await self.tree.sync()


client = Client()
order = app_commands.Group(name="order", description="Your orders")


class CommentModal(discord.ui.Modal, title="Comment"):
    text: discord.ui.TextInput = discord.ui.TextInput(
        label="Text", style=discord.TextStyle.paragraph, default="Nice"
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.edit_message(content=f"Comment: {self.text.value}")


class OrderView(discord.ui.View):
    @discord.ui.button(label="Confirm", style=discord.ButtonStyle.success)
    async def confirm(self, interaction: discord.Interaction, _: discord.ui.Button) -> None:
        await interaction.response.edit_message(
            content=f"Confirmed: {interaction.message.content}", view=None
        )

    @discord.ui.button(label="Ship", style=discord.ButtonStyle.primary)
    async def ship(self, interaction: discord.Interaction, _: discord.ui.Button) -> None:
        """Edits the order and sends two follow-ups, the second of which it deletes."""
        await interaction.response.defer()
        await interaction.edit_original_response(content="Shipped")
        shipped = await interaction.original_response()
        await interaction.followup.send(f"Receipt: {shipped.content}", ephemeral=True)
        packing = await interaction.followup.send("Packing", wait=True)
        await packing.delete()

    @discord.ui.button(label="Comment", style=discord.ButtonStyle.secondary)
    async def comment(self, interaction: discord.Interaction, _: discord.ui.Button) -> None:
        await interaction.response.send_modal(CommentModal())

    @discord.ui.select(
        placeholder="Size",
        options=[
            discord.SelectOption(label="Small", value="small"),
            discord.SelectOption(label="Large", value="large"),
        ],
    )
    async def size(self, interaction: discord.Interaction, select: discord.ui.Select) -> None:
        await interaction.response.edit_message(
            content=f"{interaction.message.content}, {select.values[0]}"
        )


@order.command(description="Order something")
@app_commands.describe(
    item="What to order", amount="How many", express="Send it today", recipient="Who gets it"
)
async def create(
    interaction: discord.Interaction,
    item: str,
    amount: Optional[app_commands.Range[int, 1, 10]] = None,
    express: Optional[bool] = None,
    recipient: Optional[discord.User] = None,
) -> None:
    text = f"{amount or 1} × {item} for {(recipient or interaction.user).name}"
    if express:
        text += ", express"
    await interaction.response.send_message(text, view=OrderView())


@create.autocomplete("item")
async def complete_item(_: discord.Interaction, part: str) -> List[app_commands.Choice[str]]:
    return [app_commands.Choice(name=item, value=item) for item in ITEMS if item.startswith(part)]


@order.command(description="Ask where an order is")
@app_commands.describe(number="Number of the order")
async def status(interaction: discord.Interaction, number: app_commands.Range[int, 1]) -> None:
    await interaction.response.defer(ephemeral=True)
    embed = discord.Embed(title=f"Order {number}", description="On its way", colour=0x3BA55D)
    embed.add_field(name="Language", value=interaction.locale.value)
    await interaction.edit_original_response(embed=embed)


client.tree.add_command(order)


@client.tree.command(description="Write to a channel")
@app_commands.describe(text="What to write", channel="Where to write it")
@app_commands.default_permissions(manage_guild=True)
async def announce(
    interaction: discord.Interaction,
    text: app_commands.Range[str, None, 200],
    channel: Optional[discord.TextChannel] = None,
) -> None:
    try:
        sent = await (channel or interaction.channel).send(text, nonce=interaction.id)
    except discord.HTTPException as error:
        await interaction.response.send_message(f"Refused with code {error.code}", ephemeral=True)
    else:
        await interaction.response.send_message(f"Sent with nonce {sent.nonce}", ephemeral=True)


class FeedbackModal(discord.ui.Modal, title="Feedback"):
    subject: discord.ui.TextInput = discord.ui.TextInput(label="Subject", max_length=50)
    details: discord.ui.TextInput = discord.ui.TextInput(
        label="Details",
        style=discord.TextStyle.paragraph,
        placeholder="As you like",
        required=False,
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        thanks = f"Thanks for {self.subject.value}: {json.dumps(self.details.value)}"
        await interaction.response.send_message(thanks, ephemeral=True)


@client.tree.command(description="Tell us what you think")
async def feedback(interaction: discord.Interaction) -> None:
    await interaction.response.send_modal(FeedbackModal())


@client.tree.command(description="Count in messages")
@app_commands.describe(to="The last number")
async def count(interaction: discord.Interaction, to: app_commands.Range[int, 1, 20]) -> None:
    await interaction.response.send_message("0")
    for number in range(1, to + 1):
        await interaction.followup.send(str(number))


@client.tree.command(name="help", description="List the commands")
async def list_commands(interaction: discord.Interaction) -> None:
    """Lists each command with its options."""
    registered = await client.tree.fetch_commands()
    lines = [
        " ".join([command.name] + [option.name for option in command.options])
        for command in registered
    ]
    await interaction.response.send_message("\n".join(lines), ephemeral=True)


@client.tree.context_menu()
async def Greet(interaction: discord.Interaction, user: discord.User) -> None:
    await user.send(f"Greetings from {interaction.user.name}")
    await interaction.response.send_message(
        f"Greeted {user.mention}",
        allowed_mentions=discord.AllowedMentions(everyone=False, roles=False, users=[user]),
    )


client.run(os.environ["DISCORD_TOKEN"])
