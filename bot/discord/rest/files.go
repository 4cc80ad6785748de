package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// upload is a body of JSON and files.
// https://discord.com/developers/docs/reference#uploading-files
type upload struct {
	json  any
	files []interaction.File
}

// attachment names a file of an upload by its place.
type attachment struct {
	ID       int    `json:"id"`
	Filename string `json:"filename"`
	// Description is the alternative text of a picture.
	Description string `json:"description,omitempty"`
}

// withFiles returns a request's body with the files, if there are any.
func withFiles(body any, files []interaction.File) any {
	if len(files) == 0 {
		return body
	}
	return upload{body, files}
}

// attachments lists the files of a message. An edit drops those it does not list.
// https://discord.com/developers/docs/resources/message#edit-message
func attachments(files []interaction.File) []attachment {
	list := make([]attachment, len(files))
	for i, f := range files {
		list[i] = attachment{i, f.Name, f.Description}
	}
	return list
}

// embed adds the description of an embed's picture, as discordgo's type lacks it.
type embed struct {
	*discordgo.MessageEmbed
	Image *describedImage `json:"image,omitempty"`
}

type describedImage struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// embeds returns a message's embeds. A picture that is one of the message's files gets the file's description:
// Discord does not show such a file as an attachment (discord-api-docs#1340), and takes the alternative text
// from the embed (#8373).
func embeds(m interaction.Message) []embed {
	list := make([]embed, len(m.Embeds))
	for i, e := range m.Embeds {
		list[i].MessageEmbed = e
		if e.Image == nil {
			continue
		}
		list[i].Image = &describedImage{URL: e.Image.URL}
		for _, f := range m.Files {
			if e.Image.URL == "attachment://"+f.Name {
				list[i].Image.Description = f.Description
			}
		}
	}
	return list
}

// encode returns the multipart body and its content type. The brackets in the parts' names are not escaped
// (discord.py, http.py).
func (u upload) encode() (body *bytes.Buffer, contentType string, err error) {
	encoded, err := json.Marshal(u.json)
	if err != nil {
		return nil, "", err
	}
	body = new(bytes.Buffer)
	parts := multipart.NewWriter(body)
	write := func(disposition, kind string, data []byte) error {
		part, err := parts.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {kind}})
		if err == nil {
			_, err = part.Write(data)
		}
		return err
	}
	if err := write(`form-data; name="payload_json"`, "application/json", encoded); err != nil {
		return nil, "", err
	}
	for i, f := range u.files {
		if err := write(fmt.Sprintf("form-data; name=\"files[%d]\"; filename=%s", i, strconv.Quote(f.Name)), f.Type, f.Data); err != nil {
			return nil, "", err
		}
	}
	return body, parts.FormDataContentType(), parts.Close()
}
